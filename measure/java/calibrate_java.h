/* SPDX-License-Identifier: Apache-2.0
 *
 * headrace calibrate --java: runs the program org.headrace.jce.Calibrate of the provider for Java,
 * which measures, shows what it measured, and writes the win map that the provider reads.
 */
#ifndef CALIBRATE_JAVA_H
#define CALIBRATE_JAVA_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* JAVA_RATIOS is the most ratios of one operation. */
enum { JAVA_RATIOS = 8 };

/* The ratios of one operation: the time of the JDK's provider divided by Headrace's. */
struct java_operation {
    char name[16], unit[16];
    size_t num;
    char size[JAVA_RATIOS][12];
    double ratio[JAVA_RATIOS];
};

struct java_service {
    char type[32], algorithm[64];
    char verdict[16];  /* "yes", "no", "new", "unmeasured" or "failed" */
    char provider[32]; /* the JDK's that has it; "-" if none has */
    size_t first, num; /* its operations */
};

struct java_results {
    unsigned version; /* Java's first number */
    uint64_t cpu;     /* the features by which maps are chosen */
    char name[100];   /* the JVM's */
    size_t num_services, num_operations, announced;
    bool has_ended;
    struct java_service services[1024];
    struct java_operation operations[4096];
};

/* java_read_line takes one line of the program's output, without its newline, and changes it.
 * Returns false if the line is not what the program prints. */
bool java_read_line(struct java_results *r, char *line);
/* java_wins tells whether a service is to be in the map. */
bool java_wins(const struct java_service *service);

/* java_print prints the table for people, and java_write_json all for programs: 0, or -1 if it
 * could not be written. */
void java_print(const struct java_results *r, FILE *out);
int java_write_json(const struct java_results *r, FILE *out);

/* java_map_path finds the map of this user, or for root the system's, for a version of Java. */
bool java_map_path(char out[PATH_MAX], unsigned version);
/* java_map_write replaces that file, or creates it.  Returns an exit code. */
int java_map_write(const struct java_results *r, const char *path);

/* The options of the command; NULL or "": not given. */
struct java_options {
    const char *java, *jar, *output;
    bool quick, json;
};
int calibrate_java(const struct java_options *options);

#endif
