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
  if (format === 'pretty')
    return pino(options, pretty({ destination: file ?? 2, sync: true, ignore: 'pid,hostname' }))
  return pino(options, pino.destination({ dest: file ?? 2, sync: false }))
}
