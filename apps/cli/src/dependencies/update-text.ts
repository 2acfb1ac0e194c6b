import type { DependencyUpdate, UpdateStep } from '@fleet/contract'
import { type Row, section, type View } from '#/views/view.ts'
import { inventoryLines } from './inventory-text.ts'

/** How each package manager ended, what it may have changed, and what the final scan found. */
export const dependencyUpdate: View = {
  lines: (data, _also, paper) => {
    const { error_code, composer, javascript, inventory } = data as unknown as DependencyUpdate // The gateway answers by this declaration.
    const message = error_code === null ? undefined : (paper.messageOf(error_code) ?? error_code)
    return [
      ...(message === undefined ? [] : [paper.colors.red(`${message} (${error_code})`), '']),
      ...section('Update', [stepRow('Composer', composer), stepRow('Vite+', javascript)], paper).slice(1),
      ...(inventory === null ? [] : ['', ...inventoryLines(inventory, paper)]),
    ]
  },
}

const stepRow = (name: string, { status, may_have_mutated, error_code }: UpdateStep): Row => [
  name,
  [
    status.replace('_', ' '),
    ...(error_code === null ? [] : [error_code]),
    ...(status === 'failed' && may_have_mutated ? ['may have changed files'] : []),
  ].join(', '),
]
