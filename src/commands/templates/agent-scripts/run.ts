import { main } from '{{lib}}/script.ts';

// The arguments and their types. Keep README.md, which agents read, in line with them.
main({ '<name>': 'string' }, ({ name }) => ({ greeting: `Hello, ${name}!` }));
