// Owns what all runs of a worker share instead of loading it anew for each: the machines, which are pure. It is frozen when it is loaded, so that no run can leave a trace for another.
// Must never bring in a schema that a workflow parses with: a frozen schema cannot set itself up.
import '../machines/budget.js';
import '../machines/contract/sentinel.js';
import '../machines/step.js';
