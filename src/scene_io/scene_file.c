// scene_file.c: files that a scene names, relative to the scene.
#include "scene_entry.h"
#include "scene_read.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

size_t rh_folder_length(const char *name)
{
  const char *slash = strrchr(name, '/');
  return slash ? (size_t)(slash - name) : 0;
}

bool rh_entry_find_file(const rh_entry *e, const char *key, const char *name,
                        char where[RH_WHERE_MAX])
{
  char why[RH_WHY_MAX];
  const char *folder = e->r->folder;
  int node = rh_yaml_find(e->r->tree, e->node, key);
  if (!folder) {
    rh_entry_refuse(e, node, key, "no files can be read here; write the numbers themselves");
    return false;
  }
  bool beside = name[0] != '/' && folder[0] != '\0';
  snprintf(where, RH_WHERE_MAX, "%s%s%s", beside ? folder : "", beside ? "/" : "", name);
  struct stat info;
  if (stat(where, &info) != 0) {
    snprintf(why, sizeof why, "'%.60s' cannot be found: tried %.140s: %s", name, where,
             strerror(errno));
    rh_entry_refuse(e, node, key, why);
    return false;
  }
  return true;
}
