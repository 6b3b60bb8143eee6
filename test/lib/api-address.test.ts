import { describe, expect, it } from 'vitest';
import { withoutVersion, withVersion } from '../../src/lib/addresses.js';

describe('the address of an API', () => {
  it('gets a version if it has none', () => {
    expect(withVersion('http://host', '/v1')).toBe('http://host/v1');
    expect(withVersion('http://host/api//', '/v1beta')).toBe('http://host/api/v1beta');
    expect(withVersion('http://host/v2/', '/v1')).toBe('http://host/v2');
    expect(withVersion('http://v1', '/v1')).toBe('http://v1/v1');
  });

  it('loses its version for clients that add it', () => {
    expect(withoutVersion('http://host/')).toBe('http://host');
    expect(withoutVersion('http://host/api/v1beta/')).toBe('http://host/api');
    expect(withoutVersion('http://v1')).toBe('http://v1');
    expect(withoutVersion('http://host/v1/models')).toBe('http://host/v1/models');
  });
});
