// net.c: numeric addresses and UDP sockets. Names are not resolved: that would use the network, and
// might block.
#include "net.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT = 64 };

// Splits at the last colon; an IPv6 address is in brackets if a port follows.
static bool split_host_port(const char *text, char host[TEXT], const char **port)
{
  const char *colon = strrchr(text, ':');
  const char *begin = text;
  size_t length = strlen(text);
  *port = NULL;
  if (text[0] == '[') {
    const char *close = strchr(text, ']');
    if (close == NULL || (close[1] != '\0' && close[1] != ':')) {
      return false;
    }
    begin = text + 1;
    length = (size_t)(close - begin);
    *port = close[1] == ':' ? close + 2 : NULL;
  } else if (colon != NULL && strchr(text, ':') == colon) {
    length = (size_t)(colon - text);
    *port = colon + 1;
  }
  if (length == 0 || length >= TEXT) {
    return false;
  }
  memcpy(host, begin, length);
  host[length] = '\0';
  return true;
}

static bool read_port(const char *text, int *port)
{
  char *end = NULL;
  errno = 0;
  long value = text[0] >= '0' && text[0] <= '9' ? strtol(text, &end, 10) : -1;
  *port = (int)value;
  return value >= 0 && value <= 65535 && errno == 0 && *end == '\0';
}

bool rh_address_read(const char *text, int port, rh_address *address, char why[RH_WHY_MAX])
{
  char host[TEXT];
  const char *given = NULL;
  if (!split_host_port(text, host, &given) || (given != NULL && !read_port(given, &port)) ||
      port == RH_NONE) {
    (void)snprintf(why, RH_WHY_MAX, "needs ADDRESS%s, such as 127.0.0.1:7000, got '%s'",
                   port == RH_NONE ? ":PORT" : "[:PORT]", text);
    return false;
  }
  char digits[16];
  (void)snprintf(digits, sizeof digits, "%d", port);
  struct addrinfo how = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_DGRAM};
  struct addrinfo *found = NULL;
  if (getaddrinfo(host, digits, &how, &found) != 0) {
    (void)snprintf(why, RH_WHY_MAX, "'%s' is not a numeric address", host);
    return false;
  }
  *address = (rh_address){.length = found->ai_addrlen};
  memcpy(&address->at, found->ai_addr, found->ai_addrlen);
  freeaddrinfo(found);
  return true;
}

bool rh_address_same(const rh_address *a, const rh_address *b)
{
  char text[2][TEXT + 16];
  rh_address_say(a, text[0], sizeof text[0]);
  rh_address_say(b, text[1], sizeof text[1]);
  return strcmp(text[0], text[1]) == 0;
}

void rh_address_say(const rh_address *address, char *text, size_t size)
{
  char host[TEXT];
  char port[16];
  if (getnameinfo((const struct sockaddr *)&address->at, address->length, host, sizeof host, port,
                  sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    (void)snprintf(text, size, "?");
    return;
  }
  bool six = address->at.ss_family == AF_INET6;
  (void)snprintf(text, size, "%s%s%s:%s", six ? "[" : "", host, six ? "]" : "", port);
}

int rh_socket_open(int family, rh_address *local)
{
  int file = socket(family, SOCK_DGRAM, 0);
  if (file < 0) {
    return -1;
  }
  bool done = fcntl(file, F_SETFL, O_NONBLOCK) == 0 && fcntl(file, F_SETFD, FD_CLOEXEC) == 0;
  if (done && local != NULL) {
    socklen_t length = sizeof local->at;
    done = bind(file, (const struct sockaddr *)&local->at, local->length) == 0 &&
           getsockname(file, (struct sockaddr *)&local->at, &length) == 0;
  }
  if (!done) {
    int error = errno;
    (void)close(file);
    errno = error;
    return -1;
  }
  return file;
}
