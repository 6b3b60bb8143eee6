import { IMAGE, PERL_IMAGE, SHELL_IMAGE, USER_IMAGE } from './containers.js';
import { testContract } from './contract.js';

for (const place of ['docker', 'podman'] as const)
  for (const image of [IMAGE, USER_IMAGE]) await testContract(place, image);
// Once is enough: our scripts find its programs in the same way with both.
for (const image of [SHELL_IMAGE, PERL_IMAGE]) await testContract('docker', image);
