import { container } from './container.ts'
import { frameworkFile } from './framework-file.ts'
import { journal } from './journal.ts'
import type { ReaderDeps, ReadSource } from './source.ts'
import type { WantedStream } from './stream-list.ts'

/** How each kind of source is read (AGT-007). */
export const makeReader =
  ({ docker, clock, refusedOwner }: ReaderDeps) =>
  ({ lines, source }: WantedStream): ReadSource => {
    switch (source.type) {
      case 'laravel':
        return frameworkFile(source, { clock, refusedOwner })
      case 'journal':
        return journal(source.unit, lines, clock)
      case 'docker': {
        const { container: name, process_id: processId } = source
        return container({ docker, clock, container: name, processId, count: lines })
      }
    }
  }
