// The command `chroma`, as the package chromadb has it, on the server that `npm run chroma:install` put there.
const { cli } = require("../../.chroma/node_modules/chromadb-js-bindings-linux-x64-gnu")

cli(["chroma", ...process.argv.slice(2)])
