// print.h: the tables of `routh list`, for people and as JSON.
#ifndef ROUTH_CATALOG_PRINT_H
#define ROUTH_CATALOG_PRINT_H

#include "catalog.h"

typedef const rh_listing *rh_listing_at(int index); // table number `index`; NULL after the last

rh_status rh_listed_print_parameters(const rh_listed *entry, bool markdown, bool color);
rh_status rh_listed_print_outputs(const rh_listed *entry, bool markdown, bool color);
rh_status rh_listing_print_rows(const rh_listing *listing, bool markdown, bool color); // one line each
rh_status rh_listings_print(rh_listing_at *at, bool color);
// The rows of a table, all or `only` one; NULL: the tables.
rh_status rh_listing_json(const rh_listing *listing, int only, rh_listing_at *at);

#endif
