import { IMAGE, SHELL_IMAGE, USER_IMAGE } from './containers.js';
import { testContract } from './contract.js';

for (const place of ['docker', 'podman'] as const)
  for (const image of [IMAGE, USER_IMAGE, SHELL_IMAGE]) await testContract(place, image);
