// page.h: the page of the device `browser`, page.html made into C by cmake/embed.cmake.
#ifndef ROUTH_REALTIME_PAGE_H
#define ROUTH_REALTIME_PAGE_H

extern const char rh_live_page[];
extern const unsigned long rh_live_page_size;

#endif
