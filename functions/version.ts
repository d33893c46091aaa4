/** Of the package. Not read from package.json: that would put its 4 kB into every Lambda; tests/packages.test.ts compares. */
export const VERSION = "0.1.0"
