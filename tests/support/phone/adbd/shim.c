/* What Debian's adbd lacks to behave as on a phone, and what must not leak out of a test. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Off Android, libcutils knows no sockets of init: give adbd the one to its framework. */
int android_get_control_socket(const char *name) {
  char key[80];
  snprintf(key, sizeof key, "ANDROID_SOCKET_%s", name);
  const char *value = getenv(key);
  return value ? atoi(value) : -1;
}

/* Listen on loopback only, and on no virtual machine's socket. */
int bind(int fd, const struct sockaddr *address, socklen_t length) {
  static int (*real_bind)(int, const struct sockaddr *, socklen_t);
  if (!real_bind) real_bind = dlsym(RTLD_NEXT, "bind");
  if (address->sa_family == AF_VSOCK) {
    errno = EADDRNOTAVAIL;
    return -1;
  }
  if (address->sa_family == AF_INET6) {
    struct sockaddr_in6 local = *(const struct sockaddr_in6 *)address;
    static const unsigned char mapped[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1};
    memcpy(&local.sin6_addr, mapped, sizeof mapped);
    return real_bind(fd, (struct sockaddr *)&local, sizeof local);
  }
  if (address->sa_family == AF_INET) {
    struct sockaddr_in local = *(const struct sockaddr_in *)address;
    local.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return real_bind(fd, (struct sockaddr *)&local, sizeof local);
  }
  return real_bind(fd, address, length);
}
