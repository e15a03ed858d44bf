// convert.h: one scene file from a model in another format, or from a scene with all that it includes.
#ifndef ROUTH_CONSOLE_CONVERT_H
#define ROUTH_CONSOLE_CONVERT_H

#include "console.h"

// Reads `path` and writes the scene to `output`, NULL or "-": standard output. It runs as the original
// does; what of the original is not used stands at its head. Reports errors.
rh_status rh_convert_file(const rh_request *request, const char *path, const char *output);

#endif
