import { existsSync } from 'node:fs'
import { makeFile } from '@fleet/pki'
import type { Home } from '#/home.ts'

const FILE = 'sample.finished'

/** Once carried through, the sample is the person's to change: a later start must not bring back what they removed. */
export const isFinished = (home: Home): boolean => existsSync(home.in(FILE))

export const markFinished = (home: Home): void => makeFile(home.in(FILE), '', 0o600)
