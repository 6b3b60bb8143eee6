import type { Signals } from '#client';
import { ownCommand } from '#host';
import { errorDocument, printJson, printNotice } from './output.js';

/** This many signals end the command immediately, whatever it is waiting for. */
const ENOUGH = 3;

/**
 * Handles SIGINT and SIGTERM from now on. It is called before a sweep starts, so that no signal is lost meanwhile. The
 * third signal ends the command immediately, after `onThirdSignal` has said what happens to the sweep. A closed
 * terminal (SIGHUP) only ends the command.
 */
export function catchSignals(onThirdSignal: () => void): Signals {
  let received = 0;
  let act: ((received: number) => void) | null = null;
  const onSignal = (): void => {
    received += 1;
    if (received >= ENOUGH) {
      onThirdSignal();
      process.exit(130);
    }
    act?.(received);
  };
  const onHangUp = (): void => process.exit(129);
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  process.on('SIGHUP', onHangUp);
  return {
    interrupted: () => received > 0,
    each(acting) {
      act = acting;
      for (let nth = 1; nth <= received; nth++) acting(nth);
    },
    stop() {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
      process.off('SIGHUP', onHangUp);
    },
  };
}

/** Prints the message of a command that a third signal ends before the sweep has responded. */
export function reportInterrupted(sweep: string, json: boolean): void {
  const message = `this command was interrupted, but the sweep may still be running; continue with ${ownCommand(`resume ${sweep}`)}, or end it with ${ownCommand(`cancel ${sweep}`)}`;
  if (json) printJson(errorDocument('interrupted', message));
  printNotice(message);
}
