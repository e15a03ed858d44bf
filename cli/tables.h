// tables.h: the tables of `routh list`: those of the catalog, then the verbs.
#ifndef ROUTH_CLI_TABLES_H
#define ROUTH_CLI_TABLES_H

#include "catalog/catalog.h"
#include "cli.h"

const rh_listing *rh_listing_get(int index); // NULL after the last
const rh_listing *rh_listing_find(const char *name);

#endif
