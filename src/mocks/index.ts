export { answerToService, type ServiceCall, type ServiceResult } from './answer-to-service.js';
export { answerToTool, failedResult, mockedTools } from './answer-to-tool.js';
export { chanceOf, recordCall, recordedArgs, recordedDecision } from './record-call.js';
export { evaluateMatcher } from './matcher.js';
export { isCommandMock, isEndpointMock, isMcpMock, isServiceMock, mockedName, whenArgs } from './mock-kinds.js';
export {
  LOOPBACK,
  mockServerFolder,
  mocksFile,
  MAX_CALLS,
  portFile,
  readPort,
  readServer,
  requestsFolder,
  serverFile,
  startProblemFile,
  stepFile,
} from './mock-server-files.js';
export { Mock, Mocks } from './mock.js';
export { CallRecord, mocksFileOf, type ServerFile } from './mocks-file.js';
export { ServiceMock } from './service-mock.js';
