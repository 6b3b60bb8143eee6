import type { CommandMock } from './command-mock.js';
import type { EndpointMock } from './endpoint-mock.js';
import type { Mock } from './mock.js';
import type { ServiceMock } from './service-mock.js';

export const isCommandMock = (mock: Mock): mock is CommandMock => 'command' in mock;
export const isServiceMock = (mock: Mock): mock is ServiceMock => 'service' in mock;
export const isEndpointMock = (mock: Mock): mock is EndpointMock => 'endpoint' in mock;

/** What a mock stands for, in a few words: `gh`, `github.readFile`, `GET /users/{id}`. */
export const mockedName = (mock: Mock): string =>
  isCommandMock(mock) ? mock.command : isServiceMock(mock) ? `${mock.service}.${mock.method}` : mock.endpoint;
