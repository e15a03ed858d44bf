// plugin.h: a controller in a shared library of its own. A scene names it as the kind of a controller;
// the library x.so of the folder of plug-ins is then loaded, with
//
//   #include <routh/plugin.h>
//   static void update(rh_data *d, const rh_control *c, double *effort) { ... }
//   static const rh_controller row = {.row = {.name = "x", .doc = "..."}, .update = update};
//   RH_PLUGIN(row)
//
// Without that folder nothing is loaded: a scene alone cannot run code. `routh` and the Python package
// take it from the environment's ROUTH_PLUGINS. A library that was built for other headers is refused.
#ifndef ROUTH_PLUGIN_H
#define ROUTH_PLUGIN_H

#include <routh/data.h>
#include <routh/law.h>
#include <routh/model.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RH_PLUGIN_VERSION 1

typedef struct rh_plugin { // what the function routh_plugin of a library returns
  int version;             // RH_PLUGIN_VERSION
  size_t data, model, row; // sizes of the structs that it was built with
  const rh_controller *controller; // its name is that of the file, without .so
} rh_plugin;

typedef const rh_plugin *rh_plugin_fn(void);

// The folder, an absolute path, which must last; NULL, the default: none. Before any scene is read.
RH_API void rh_hook_set_plugins(const char *folder);

#if defined __GNUC__
#define RH_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define RH_PLUGIN_EXPORT
#endif

#define RH_PLUGIN(controller_row)                                                                  \
  RH_PLUGIN_EXPORT const rh_plugin *routh_plugin(void);                                            \
  RH_PLUGIN_EXPORT const rh_plugin *routh_plugin(void)                                             \
  {                                                                                                \
    static const rh_plugin self = {RH_PLUGIN_VERSION, sizeof(rh_data), sizeof(rh_model),           \
                                   sizeof(rh_controller), &(controller_row)};                      \
    return &self;                                                                                  \
  }

#ifdef __cplusplus
}
#endif
#endif
