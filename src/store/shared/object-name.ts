import { TEMPORARY } from '#host';

/** File systems allow 255 bytes, and a temporary name is up to 30 bytes longer. */
const MAX_PART = 220;
/** S3 allows 1024 bytes, with the prefix. */
const MAX_NAME = 800;
/** How a stored folder ends in a bucket, where it is one object. */
export const FOLDER_END = '.tar.gz';

/** Returns why a text cannot name an object or a stored folder; null if it can. The same in every kind of store. */
export function objectNameProblem(name: string): string | null {
  if (/[\u0000-\u001f\u007f\\]/.test(name)) return 'it contains a control character or a backslash';
  if (Buffer.from(name).toString() !== name) return 'it is not valid Unicode';
  if (Buffer.byteLength(name) > MAX_NAME) return `it is longer than ${MAX_NAME} bytes`;
  if (name.endsWith(FOLDER_END)) return `it ends with "${FOLDER_END}"`;
  for (const part of name.split('/')) {
    if (part === '') return 'it has an empty part';
    if (part === '.' || part === '..') return `it contains "${part}"`;
    if (Buffer.byteLength(part) > MAX_PART) return `a part of it is longer than ${MAX_PART} bytes`;
    if (isHidden(part)) return `"${part}" is the name of a temporary file`;
  }
  return null;
}

/** True for what writers, and NFS itself, have left in a folder: temporary files, and files removed while open. */
export const isHidden = (part: string): boolean => TEMPORARY.test(part) || part.startsWith('.nfs');

/** Returns the name. @throws Error if it cannot name an object */
export function checkedName(name: string): string {
  const problem = objectNameProblem(name);
  if (problem !== null) throw new Error(`${JSON.stringify(name)} cannot name an object: ${problem}`);
  return name;
}
