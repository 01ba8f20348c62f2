// Owns where files of this installation lie, seen from cli/. The build puts every part of the command line into one folder, so that these paths hold there too.
import { fileURLToPath } from 'node:url';

/** The script of the background worker. */
export const workerEntry = fileURLToPath(new URL('../worker/main.js', import.meta.url));
/** The folder of the demonstration: sample repository and scripted agents. */
export const demoFolder = fileURLToPath(new URL('./demo', import.meta.url));
/** What the build says of itself. */
export const buildFile = fileURLToPath(new URL('../build.json', import.meta.url));
