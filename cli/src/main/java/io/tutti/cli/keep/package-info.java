/**
 * A model that stays loaded in a process of its own, {@link io.tutti.cli.keep.Keeper}, and gives its tokens to other processes of
 * the same user, through {@link io.tutti.cli.keep.KeptTokens}. Those do all that concerns files, text, the terminal and the end of a
 * text, and ask for tokens alone.
 *
 * <p>They meet at a Unix domain socket in a folder that belongs to the user alone, {@link io.tutti.cli.keep.KeptFolder}. A connection
 * is one question, {@link io.tutti.cli.keep.Wire}:
 *
 * <table>
 * <caption>What is asked, after the magic number and the protocol's version</caption>
 * <tr><th>question</th><th>answer</th></tr>
 * <tr><td>LOOK</td><td>what is kept, {@link io.tutti.cli.keep.KeptModel}</td></tr>
 * <tr><td>USE</td><td>the same; the model stays for as long as the connection is open</td></tr>
 * <tr><td>GENERATE, the circumstances that the model must have, and the request</td><td>BUSY, if another text is being made;
 * DIFFERS, if the circumstances are others; or BEGUN, then PREFILLED after each chunk of the prompt, TOKEN for each token, and FAILED
 * where that ends. The asking side closes the connection when it has what it wants, and no further step is run</td></tr>
 * <tr><td>STOP</td><td>a byte, and the process ends</td></tr>
 * </table>
 *
 * <p>Every request carries its whole prompt, so that nothing is lost with a process: what the last request had in common with
 * this one is in the cache, and the bits show no difference. A run that finds the model busy, different or gone computes by itself,
 * from the beginning if need be, and gets the same bits.
 */
package io.tutti.cli.keep;
