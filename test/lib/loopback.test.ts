import { expect, it } from 'vitest';
import { isLoopback, loopbackPorts, nameServers } from '../../src/lib/addresses.js';

it('finds the ports of loopback addresses, and of no others', () => {
  expect(loopbackPorts('http://127.0.0.1:8080/v1')).toEqual([8080]);
  expect(loopbackPorts('http://localhost/v1')).toEqual([80]);
  expect(loopbackPorts('https://[::1]')).toEqual([443]);
  expect(loopbackPorts('http://0.0.0.0:11434')).toEqual([11434]);
  for (const other of [null, '', '127.0.0.1:8080', 'http://10.0.0.1:8080', 'http://127.example.org', 'http://'])
    expect(loopbackPorts(other)).toEqual([]);
});

it('finds the name servers of a resolv.conf', () => {
  const servers = nameServers('# nameserver 1.1.1.1\nnameserver 127.0.0.53\n nameserver ::1\noptions edns0\n');
  expect(servers).toEqual(['127.0.0.53', '::1']);
  expect(servers.every(isLoopback)).toBe(true);
  expect(isLoopback('10.255.255.53')).toBe(false);
});
