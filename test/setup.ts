// Runs before each test file: no credential, no configuration of the machine and no home of a person reaches a test.
import { cleanProcessEnv } from './helpers/temp.js';

cleanProcessEnv();
