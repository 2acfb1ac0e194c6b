import { openSync } from 'node:fs'
import { type Logger, pino, type LoggerOptions } from 'pino'
import pretty from 'pino-pretty'

export type LogFormat = 'json' | 'pretty' | 'silent'

/** One event per outcome, in the file or on standard error: standard output stays for what a person asked for. */
export function makeLog(format: LogFormat, file?: string): Logger {
  const options: LoggerOptions = {
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    level: format === 'silent' ? 'silent' : 'info',
  }
  // Opened here, since the logger opens a path later and cannot write its last lines in a process that ends before.
  const destination = file === undefined ? 2 : openSync(file, 'a', 0o600)
  if (format === 'pretty') return pino(options, pretty({ destination, sync: true, ignore: 'pid,hostname' }))
  return pino(options, pino.destination({ dest: destination, sync: false }))
}
