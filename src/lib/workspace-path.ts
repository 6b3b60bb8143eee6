/**
 * Returns why a path, as written, must not refer to something in the workspace; null if it may. Does not see symlinks,
 * which are checked when the path is accessed.
 */
export function workspacePathProblem(path: string): string | null {
  if (path.trim() === '') return 'the path is blank: write a path relative to the workspace, like "notes.md"';
  if (path.includes('\0')) return 'the path has a NUL character, which no file name can have';
  if (path.startsWith('/')) {
    return `"${path}" is absolute: write a path relative to the workspace, like "notes.md"`;
  }
  return leaves(path) ? `"${path}" leaves the workspace: write a path that stays inside it` : null;
}

function leaves(path: string): boolean {
  let depth = 0;
  for (const part of path.split('/')) {
    if (part === '..') depth -= 1;
    else if (part !== '' && part !== '.') depth += 1;
    if (depth < 0) return true;
  }
  return false;
}
