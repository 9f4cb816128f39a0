import Testing

@testable import JSONText

/// Doubles by their bits, and what JavaScript's `String(number)` printed for them.
private let javaScriptNumbers: [(UInt64, String)] = [
    (0x0000_0000_0000_0000, "0"),
    (0x3ff0_0000_0000_0000, "1"),
    (0xbff0_0000_0000_0000, "-1"),
    (0x3fb9_9999_9999_999a, "0.1"),
    (0x3fe0_0000_0000_0000, "0.5"),
    (0xbfb9_9999_9999_999a, "-0.1"),
    (0x3ff8_0000_0000_0000, "1.5"),
    (0x4059_0000_0000_0000, "100"),
    (0x405e_dd2f_1a9f_be77, "123.456"),
    (0x444b_1ae4_d6e2_ef50, "1e+21"),
    (0x3e7a_d7f2_9abc_af48, "1e-7"),
    (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
    (0x3eb9_2a73_7110_e454, "0.0000015"),
    (0x441a_c53a_7e04_bcda, "123456789012345680000"),
    (0x441a_c4da_03bc_47e4, "123450000000000000000"),
    (0x0000_0000_0000_0001, "5e-324"),
    (0x0010_0000_0000_0000, "2.2250738585072014e-308"),
    (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
    (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
    (0x3fd3_3333_3333_3334, "0.30000000000000004"),
    (0x3fd5_5555_5555_5555, "0.3333333333333333"),
    (0x3fe5_5555_5555_5555, "0.6666666666666666"),
    (0x4341_c379_37e0_8000, "10000000000000000"),
    (0x4340_0000_0000_0000, "9007199254740992"),
    (0x433f_ffff_ffff_ffff, "9007199254740991"),
    (0x4330_0000_0000_0002, "4503599627370498"),
    (0x4415_af1d_78b5_8c40, "100000000000000000000"),
    (0x4480_f0cf_064d_d592, "1e+22"),
    (0x3c36_b082_c214_8b8e, "1.23e-18"),
    (0x3eb4_b3fd_5942_cd96, "0.000001234"),
    (0x3eb4_b66d_c01e_c6fb, "0.0000012345678901234567"),
    (0x4237_4876_e7ff_ffbe, "99999999999.999"),
    (0x4206_fee0_e1aa_0000, "12345678901.25"),
    (0x4132_d687_e418_9375, "1234567.891"),
    (0x3f50_624d_d2f1_a9fc, "0.001"),
    (0x3f58_9374_bc6a_7efa, "0.0015"),
    (0x3f1a_36e2_eb1c_432d, "0.0001"),
    (0x4009_21f9_f01b_866e, "3.14159"),
    (0x54b2_49ad_2594_c37d, "1e+100"),
    (0x3ff0_0000_0000_0001, "1.0000000000000002"),
    (0x4011_6666_6666_6666, "4.35"),
    (0x3fe3_ae14_7ae1_47ae, "0.615"),
    (0x4024_7851_eb85_1eb8, "10.235"),
    (0x4237_4876_e800_0042, "100000000000.001"),
    (0x43b0_0000_0000_0000, "1152921504606847000"),
    (0x43e0_0000_0000_0000, "9223372036854776000"),
    (0x43f0_0000_0000_0000, "18446744073709552000"),
    (0x3e20_0000_0000_0000, "1.862645149230957e-9"),
    (0x404f_ffff_ffff_ffff, "63.99999999999999"),
    (0x4012_3fcb_923a_29c7, "4.5623"),
    (0x4009_21fb_5444_2d18, "3.141592653589793"),
    (0xc009_1eb8_51eb_851f, "-3.14"),
    (0x430c_6bf5_2634_0002, "1000000000000000.2"),
    (0x40fe_240b_3333_3333, "123456.7"),
    (0x4020_d1eb_851e_b852, "8.41"),
    (0x3ff0_147a_e147_ae14, "1.005"),
    (0x41b1_de78_4a80_0000, "299792458.5"),
    (0x44df_e185_ca57_c517, "6.02214076e+23"),
    (0x3c07_9ca1_0c92_4223, "1.6e-19"),
    (0x001f_ffff_ffff_ffff, "4.4501477170144023e-308"),
    (0x4310_0000_0000_0000, "1125899906842624"),
    (0x3ea0_c6f7_a0b5_ed8d, "5e-7"),
    (0x3eb0_c6f7_8490_2b25, "9.999999e-7"),
    (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
    (0x444b_1ae4_d6e2_ef50, "1e+21"),
    (0x3698_4f18_03ad_7680, "1.0645033928050558e-45"),
    (0xc432_c811_8d28_4c09, "-346457852413175460000"),
    (0x6619_c655_d781_ce6c, "6.844973784372093e+183"),
    (0x69f9_e25f_615f_f05d, "3.1701001992439006e+202"),
    (0x5fce_9dd0_571b_cf39, "3.2070282718563558e+153"),
    (0x5ab8_3a5a_bb39_2453, "1.0496264728142068e+129"),
    (0xf80a_6de6_2e67_86ed, "-1.7453064046986023e+270"),
    (0x1aa2_eefa_cfa6_c0a7, "2.281412644435267e-180"),
    (0x56bf_d792_dd03_c511, "7.478249185799364e+109"),
    (0xe921_cb98_beea_ac5f, "-2.660433824447246e+198"),
    (0x1d81_7819_76f3_0e34, "1.4812347633157133e-166"),
    (0xf503_8ca4_cd37_2ec0, "-4.586480373889363e+255"),
    (0x932d_b927_ba8f_379a, "-2.6944467349240068e-216"),
    (0xe667_223b_1907_e4eb, "-1.9659511293957243e+185"),
    (0x7440_a712_47cc_9841, "9.538257222912555e+251"),
    (0x57ef_d1c1_8053_cc91, "3.917958044948927e+115"),
    (0xb3cb_56aa_672a_dd53, "-3.4025627485851052e-59"),
    (0x98b8_ebdf_ca25_aaef, "-1.3983467869430719e-189"),
    (0xca4e_ad22_7600_795b, "-8.966694605605482e+49"),
    (0xf694_d891_e619_3e24, "-1.641037351405281e+263"),
    (0x0e10_62ea_09aa_21c1, "6.143651831305803e-241"),
    (0x4bee_954b_dda7_6ed3, "5.999180872952894e+57"),
    (0xb332_2f76_d936_55a5, "-4.42062761918397e-62"),
    (0x207e_e1c9_6769_3ef4, "3.6852532007315725e-152"),
    (0x1854_c469_6451_0ce3, "1.8207126310400323e-191"),
    (0xdf80_3558_164a_bdca, "-1.0611268729391235e+152"),
    (0xc8b6_f1d9_311f_a49b, "-1.998767038466099e+42"),
    (0xd1b4_1811_3ce6_7078, "-3.903601403208913e+85"),
    (0xf4c9_3f06_21ee_fa53, "-3.70187844156374e+254"),
    (0xb71c_4a6c_82f1_5b34, "-3.1714992035200864e-43"),
]

/// Doubles beyond integers of 64 bits, which JavaScript prints in full up to 21 digits.
private let largeNumbers: [(UInt64, String)] = [
    (0x43df_ffff_ffff_ffff, "9223372036854775000"),
    (0x43e0_0000_0000_0000, "9.223372036854776e+18"),
    (0xc3e0_0000_0000_0000, "-9.223372036854776e+18"),
    (0x43e1_58e4_6091_3ccf, "9.9999999999999e+18"),
    (0x43f0_0000_0000_0000, "1.8446744073709552e+19"),
    (0x4415_af1d_78b5_8c40, "1e+20"),
    (0x441a_c4da_03bc_47e4, "1.2345e+20"),
    (0x441a_c53a_7e04_bcda, "1.2345678901234568e+20"),
    (0xc432_c811_8d28_4c09, "-3.4645785241317546e+20"),
    (0x444b_1ae4_d6e2_ef4f, "9.999999999999999e+20"),
]

@Suite struct NumberTextTests {
    private func text(of number: Double) -> String {
        var bytes: [UInt8] = []
        NumberText.append(number, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func text(of number: Int64) -> String {
        var bytes: [UInt8] = []
        NumberText.append(number, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `doubles print as JavaScript prints them`() {
        for (bits, expected) in javaScriptNumbers {
            #expect(JSONWriter.javaScriptText(of: Double(bitPattern: bits)) == expected)
        }
    }

    @Test func `doubles beyond integers of 64 bits have an exponent in JSON`() {
        for (bits, expected) in largeNumbers {
            #expect(text(of: Double(bitPattern: bits)) == expected)
            #expect(Double(expected) == Double(bitPattern: bits))
        }
        for (bits, expected) in javaScriptNumbers {
            let number = Double(bitPattern: bits)
            if number.magnitude < 0x1p63 { #expect(text(of: number) == expected) }
        }
    }

    @Test func `minus zero prints as zero, and what is not finite as null`() {
        #expect(text(of: -0.0) == "0")
        #expect(text(of: .infinity) == "null")
        #expect(text(of: .nan) == "null")
    }

    @Test func `integers print in full`() {
        for number in [0, 7, -7, 10, 99, 100, 1 << 53 + 1, .max, .min] as [Int64] {
            #expect(text(of: number) == String(number))
        }
    }

    @Test func `decimals of few places print as they are written`() {
        var random = SplitMix64(state: 1)
        for _ in 0..<20_000 {
            let whole = Int.random(in: 0..<100_000_000, using: &random)
            let places = Int.random(in: 1...5, using: &random)
            let fraction = (0..<places).map { place in
                String(Int.random(in: (place == places - 1 ? 1 : 0)...9, using: &random))
            }
            // Below 1e-6 the exponent form begins, which the table covers.
            let expected = "\(max(whole, 1)).\(fraction.joined())"
            #expect(text(of: Double(expected)!) == expected)
        }
    }

    @Test func `every double reads back from its text`() {
        var random = SplitMix64(state: 2)
        for _ in 0..<50_000 {
            let number = Double(bitPattern: random.next())
            if number.isFinite { #expect(Double(text(of: number)) == number) }
        }
    }
}
