import colours from 'picocolors'

const LABEL_WIDTH = 11

/** Everything that a person reads of a run, in one form: coloured on a terminal, plain elsewhere. */
export interface Screen {
  line(text?: string): void
  heading(text: string): void
  /** One finished thing with its time in milliseconds, and lines that say more about it. */
  done(label: string, text: string, milliseconds: number | undefined, more?: readonly string[]): void
  failed(label: string, text: string, more?: readonly string[]): void
  /** A command to type and what it is for. */
  command(line: string, what: string): void
}

/** The part of a terminal or pipe that is written to. */
export interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

export function makeScreen(stream: Output): Screen {
  const paint = colours.createColors(stream.isTTY === true && colours.isColorSupported)
  const line = (text = ''): void => void stream.write(`${text}\n`)
  const row = (mark: string, label: string, text: string): void =>
    line(`${mark} ${paint.bold(label.padEnd(LABEL_WIDTH))} ${text}`)
  const details = (lines: readonly string[] = []): void => {
    for (const each of lines) line(`  ${' '.repeat(LABEL_WIDTH)} ${paint.dim(each)}`)
  }
  return {
    line,
    heading: (text) => line(`\n${paint.bold(text)}`),
    done(label, text, milliseconds, more) {
      const time = milliseconds === undefined ? '' : paint.dim(`  ${timeText(milliseconds)}`)
      row(paint.green('✓'), label, text + time)
      details(more)
    },
    failed(label, text, more) {
      row(paint.red('✗'), label, text)
      details(more)
    },
    command: (text, what) => line(`  ${paint.cyan(text)}\n    ${paint.dim(what)}`),
  }
}

const timeText = (milliseconds: number): string =>
  milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`
