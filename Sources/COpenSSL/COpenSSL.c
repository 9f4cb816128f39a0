#include "COpenSSL.h"

// Without this, `exit` would free OpenSSL's tables while other threads still use them, and the process would crash
// as it ends. Only the first call for OpenSSL decides, so that it is made before `main`.
__attribute__((constructor)) static void keep_until_the_process_is_gone(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
