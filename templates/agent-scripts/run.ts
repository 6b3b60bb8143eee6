import { main } from '{{lib}}/script.ts';

// What the usage takes, each with its kind; README.md tells the same to agents.
main({ '<name>': 'string' }, ({ name }) => ({ greeting: `Hello, ${name}!` }));
