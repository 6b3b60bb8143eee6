export { embedSweep, reportPage } from './server/embed-sweep.js';
export { serveViewer } from './server/serve.js';
