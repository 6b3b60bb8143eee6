import { describe, expect, it } from 'vitest';
import { unversionedUrl, versionedUrl } from '../../src/lib/base-url.js';

describe('the address of an API', () => {
  it('gets its version where it has none', () => {
    expect(versionedUrl('http://host', '/v1')).toBe('http://host/v1');
    expect(versionedUrl('http://host/api//', '/v1beta')).toBe('http://host/api/v1beta');
    expect(versionedUrl('http://host/v2/', '/v1')).toBe('http://host/v2');
    expect(versionedUrl('http://v1', '/v1')).toBe('http://v1/v1');
  });

  it('loses its version for clients that add it', () => {
    expect(unversionedUrl('http://host/')).toBe('http://host');
    expect(unversionedUrl('http://host/api/v1beta/')).toBe('http://host/api');
    expect(unversionedUrl('http://v1')).toBe('http://v1');
    expect(unversionedUrl('http://host/v1/models')).toBe('http://host/v1/models');
  });
});
