import { expect, it } from 'vitest';
import { failureIn, stepContainers, tellingLines } from '../../../src/environments/container/build-output.js';

const OLD = `Sending build context to Docker daemon  2.048kB\r
Step 1/2 : FROM debian:12
 ---> 0123456789ab
Step 2/2 : RUN make
 ---> Running in abcdef012345
`;
const of = (output: string, exitCode: number | null = 1): string => failureIn('docker', output, exitCode).of;

it('takes a step that fails for a fault of the Dockerfile, whatever it has printed', () => {
  const said = 'curl: (7) connection refused\nunexpected EOF\n';
  expect(of(`${OLD}${said}The command '/bin/sh -c make' returned a non-zero code: 7\n`)).toBe('dockerfile');
  expect(
    of(`#5 ${said}ERROR: failed to solve: process "/bin/sh -c make" did not complete successfully: exit code: 7\n`),
  ).toBe('dockerfile');
  expect(of(`${said}Error: building at STEP "RUN make": while running runtime: exit status 7\n`)).toBe('dockerfile');
});

it('tries a build again that lost its daemon, or was killed', () => {
  expect(of(`${OLD}unexpected EOF\n`)).toBe('daemon');
  expect(of('ERROR: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is it running?\n')).toBe(
    'daemon',
  );
  expect(of(OLD, null)).toBe('daemon');
  expect(of(OLD, 137)).toBe('daemon');
  expect(of('', 1)).toBe('daemon');
});

it('waits for a disk that is full', () => {
  expect(of(`${OLD}write /a: no space left on device\n`)).toBe('disk');
});

it('names what the builder lacks', () => {
  const { of: cause, reason } = failureIn('docker', 'dockerfile parse error line 3: unknown instruction: ECHO\n', 1);
  expect([cause, reason]).toEqual([
    'dockerfile',
    'dockerfile parse error line 3: unknown instruction: ECHO; this Dockerfile may need BuildKit, which docker lacks here (apt install docker-buildx)',
  ]);
});

it('finds the containers of steps, and leaves out lines that say nothing', () => {
  expect(stepContainers(OLD)).toEqual(['abcdef012345']);
  expect(tellingLines(`\u001b[0mRemoving intermediate container abcdef012345\n${OLD}`)).toEqual([
    'Sending build context to Docker daemon  2.048kB',
    'Step 1/2 : FROM debian:12',
    'Step 2/2 : RUN make',
  ]);
});
