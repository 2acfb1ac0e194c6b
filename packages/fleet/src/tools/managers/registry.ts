import type { ToolManagerName } from '@fleet/contract'
import { apt } from '#/tools/managers/apt.ts'
import { brew, brewCask } from '#/tools/managers/brew.ts'
import { composer } from '#/tools/managers/composer.ts'
import type { Manager } from '#/tools/managers/manager.ts'
import { vitePlus } from '#/tools/managers/vp.ts'
import type { ToolsDeps } from '#/tools/deps.ts'

/** The commands of each manager, over a root folder. */
export const managersOf = ({
  root = '',
}: Pick<ToolsDeps, 'root'>): Readonly<Record<ToolManagerName, Manager>> => ({
  apt,
  composer: composer(root),
  vp: vitePlus(root),
  brew: brew(root),
  'brew-cask': brewCask(root),
})
