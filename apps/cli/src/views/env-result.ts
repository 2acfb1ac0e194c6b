import type { EnvironmentResult, EnvironmentSynced } from '@fleet/contract'
import type { View } from './view.ts'

/** What an operation on the configuration did, in one sentence, and what it replaced besides. */
export const envResult: View = {
  lines: (data) => {
    const result = data as unknown as EnvironmentResult & Partial<EnvironmentSynced> // The gateway answers by this declaration.
    const { operation, changed, key_count: count, replaced_keys: replaced = [] } = result
    const said = SENTENCES[operation][changed ? 'changed' : 'same'](
      `${count} ${count === 1 ? 'key' : 'keys'}`,
    )
    return replaced.length === 0 ? [said] : [said, `${REPLACED}: ${replaced.join(', ')}.`]
  },
}

const REPLACED = 'Values that somebody had changed in the file were replaced by the stored ones'

const SENTENCES: Readonly<
  Record<EnvironmentResult['operation'], Readonly<Record<'changed' | 'same', (keys: string) => string>>>
> = {
  import: {
    changed: (keys) => `Imported. The stored configuration has ${keys}.`,
    same: (keys) =>
      `The file has no value that was not already stored. The stored configuration has ${keys}.`,
  },
  update: {
    changed: (keys) => `Stored. The stored configuration has ${keys}.`,
    same: (keys) => `This value was already stored. The stored configuration has ${keys}.`,
  },
  sync: {
    changed: (keys) => `The file on the Node was written: ${keys}.`,
    same: (keys) => `The file on the Node already holds the stored configuration: ${keys}.`,
  },
}
