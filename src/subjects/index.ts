export { McpServer, PLUGIN_VARIABLES, StoredServer } from './mcp/mcp-server.js';
export { type McpConnection, presenceOf, type ProxyFile } from './mcp/proxy-file.js';
export { eventsOfRecords, eventsSoFar, type TimedEvent } from './mcp/record.js';
export {
  mcpServersOf,
  skillsOfSubject,
  StoredSubject,
  Subject,
  SUBJECT_BYTES,
  type SubjectFile,
  type SubjectKind,
  Subjects,
  variablesOfSubject,
  WITH,
  WITHOUT,
} from './subject.js';
