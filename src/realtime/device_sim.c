// device_sim.c: no device: hand and device are those of the scene.
#include "live.h"

const rh_device rh_device_sim = {
    .row = {.name = "sim",
            .cite = "[CSC] sec. VI",
            .doc = "hand and device of the scene, simulated"},
    .repeats = true,
};
