import { setFlagsFromString } from 'node:v8'

/**
 * The young generation of this process stays as small as it is. Left alone it grows while clients arrive, since each of them
 * survives a collection, and never shrinks: at 4,000 connections that is more than all of them hold (decision 0069). What the
 * server throws away dies at once, so small is enough.
 */
export const keepYoungGenerationSmall = (): void => setFlagsFromString('--semi-space-growth-factor=1')
