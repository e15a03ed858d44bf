// cmd_convert.c: `routh convert`: a model of another format, or a scene with all that it includes, as one scene file.
#include "cli.h"

#include "console/convert.h"

static rh_status convert_verb(const rh_args *args)
{
  return rh_convert_file(&args->request, args->request.file[0], rh_args_text(args, "output"));
}

static const rh_option option[] = {RH_OPTION_SET,
                                   RH_OPTION_OUTPUT("file of the scene; - is standard output")};

static const rh_example example[] = {
    {"convert models/atlas.urdf -o atlas.yaml", "a robot as a scene, to go on from"},
    {"convert robot.xml -s run.engine=stepping -o robot.yaml", "MJCF, with another engine"},
};

const rh_verb rh_verb_convert = {
    .row = {.name = "convert", .cite = "", .doc = "Write a model or a scene as one scene file."},
    .group = "Trust",
    .usage = "FILE",
    .more = "Reads URDF, MJCF, SDF and scenes; - is standard input. What is not used of the file "
            "stands "
            "in comments.",
    .option = option,
    .noption = RH_COUNT(option),
    .example = example,
    .nexample = RH_COUNT(example),
    .ending = "yaml|yml|json|urdf|xml|sdf",
    .least = 1,
    .most = 1,
    .run = convert_verb,
};
