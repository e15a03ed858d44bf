// plugins.c: controllers in shared libraries, <routh/plugin.h>. A name is looked for in one folder only,
// which the program names; a scene has no say in it. The file must lie in that folder itself and
// belong to someone who others cannot write for. A library stays loaded until the program ends.
#include "control.h"

#include "base/text.h"

#include <routh/plugin.h>

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_MAX = 8192 };

static const char *plugin_folder; // set before any other call, as the hooks of base/alloc.c

void rh_hook_set_plugins(const char *folder)
{
  plugin_folder = folder;
}

static bool name_is_plain(const char *name)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return *name && strspn(name, letters) == strlen(name);
}

// The file of that name in the folder. False: there is none, or it is not trusted (`why`).
static bool find_library(const char *folder, const char *name, char path[FILE_MAX],
                         char why[RH_WHY_MAX])
{
  struct stat info;
  int length = snprintf(path, FILE_MAX, "%s/%s.so", folder, name);
  if (folder[0] != '/' || length >= FILE_MAX) {
    (void)snprintf(why, RH_WHY_MAX, "the folder of plug-ins must be an absolute path");
    return false;
  }
  if (lstat(path, &info) != 0) {
    (void)snprintf(why, RH_WHY_MAX, "the folder of plug-ins has no file %.60s.so", name);
    return false;
  }
  bool regular = S_ISREG(info.st_mode);
  if (!regular || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    (void)snprintf(why, RH_WHY_MAX, "%.60s.so %s", name,
                   regular ? "can be written by others" : "is not a plain file");
    return false;
  }
  return true;
}

static const char *judge_plugin(const rh_plugin *plugin, const char *name)
{
  if (!plugin || plugin->version != RH_PLUGIN_VERSION) {
    return "is for another version of the interface";
  }
  if (plugin->data != sizeof(rh_data) || plugin->model != sizeof(rh_model) ||
      plugin->row != sizeof(rh_controller)) {
    return "was built with headers of another version";
  }
  const rh_controller *row = plugin->controller;
  if (!row || !row->update || !row->row.name || strcmp(row->row.name, name) != 0) {
    return "has no controller of its own name";
  }
  return rh_controller_register(row) == RH_OK ? NULL : "cannot be registered: too many are";
}

bool rh_plugin_load(const char *name, char why[RH_WHY_MAX])
{
  const char *folder = plugin_folder;
  char path[FILE_MAX];
  why[0] = '\0';
  if (!folder || !*folder || !name_is_plain(name) || !find_library(folder, name, path, why)) {
    return false;
  }
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, "routh_plugin") : NULL;
  if (!symbol) {
    const char *error = dlerror();
    (void)snprintf(why, RH_WHY_MAX, "%.60s.so: %.160s", name, error ? error : "no routh_plugin");
    return false;
  }
  rh_plugin_fn *open = NULL;
  memcpy(&open, &symbol, sizeof open); // ISO C has no cast between them
  const char *wrong = judge_plugin(open(), name);
  if (wrong) {
    (void)snprintf(why, RH_WHY_MAX, "%.60s.so %s", name, wrong);
    (void)dlclose(library);
  }
  return wrong == NULL;
}
