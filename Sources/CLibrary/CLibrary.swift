// The C library of the platform, under one name: what the SDK needs of it is POSIX. The one exception is
// how another thread wakes an event loop, by Linux's `eventfd`, which stays in C (`CEventLoop`).

#if canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Musl)
    @_exported public import Musl
#elseif canImport(Darwin)
    @_exported public import Darwin
#endif
