@main struct HearthCommand { static func main() {} }
