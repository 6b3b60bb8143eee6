/** Config of an agent that records its start, prints, and waits for the file that its prompt names. */
export const WAITER = `
[agents.waiter]
command = "sh"
args = ["-c", 'read -r go; echo x >>starts; echo before; until [ -e "$go" ]; do sleep 0.05; done; echo after | tee out.txt']
prompt = "stdin"
free = true
models = ["m"]
`;
