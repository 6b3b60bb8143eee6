import { IMAGE, USER_IMAGE } from './containers.js';
import { testContract } from './contract.js';

// The image is the same: the second has its pods run as another user.
for (const image of [IMAGE, USER_IMAGE]) await testContract('kubernetes', image);
