import { commandText } from '#lib';

/** Whether this names a request, like `GET /users/7`, and not a command or a method of a service. */
export const isRequest = (mocked: string): boolean => mocked.includes(' /');

/** A call of something mocked on one line: a command as a shell takes it, a request with its query and body. */
export const mockedCallText = (mocked: string, args: readonly string[]): string =>
  isRequest(mocked)
    ? args.reduce((text, arg) => `${text}${arg.startsWith('?') ? '' : ' '}${arg}`, mocked)
    : commandText([mocked, ...args]);
