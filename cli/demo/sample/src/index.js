export { truncate } from './truncate.js';
