export { embedSweep } from './server/embed-sweep.js';
export { reportPage } from './server/report-page.js';
export { serveViewer } from './server/serve.js';
