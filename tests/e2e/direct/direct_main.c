/* SPDX-License-Identifier: Apache-2.0 */
/* direct_main SCENE: a program that is linked with libcrypto. */
int scene_main(int argc, char **argv);

int main(int argc, char **argv)
{
    return scene_main(argc, argv);
}
