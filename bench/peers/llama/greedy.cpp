// Greedy decoding by llama.cpp: greedy MODEL.gguf THREADS COUNT ID... prints COUNT tokens after the prompt, each on a line
// as soon as it is there. (llama-bench gives the rates, but neither tokens nor the time to the first.)

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "llama.h"

int main(int argc, char ** argv) {
    if (argc < 5) {
        fprintf(stderr, "usage: greedy MODEL.gguf THREADS COUNT ID...\n");
        return 2;
    }
    const int threads = atoi(argv[2]);
    const int count = atoi(argv[3]);
    std::vector<llama_token> next;
    for (int i = 4; i < argc; i++) {
        next.push_back(atoi(argv[i]));
    }

    llama_log_set([](ggml_log_level level, const char * text, void *) {
        if (level == GGML_LOG_LEVEL_ERROR) fputs(text, stderr);
    }, nullptr);
    ggml_backend_load_all();
    llama_model * model = llama_model_load_from_file(argv[1], llama_model_default_params());
    if (!model) {
        return 1;
    }
    llama_context_params params = llama_context_default_params();
    params.n_ctx = next.size() + count;
    params.n_threads = threads;
    params.n_threads_batch = threads;
    llama_context * context = llama_init_from_model(model, params);
    if (!context) {
        return 1;
    }

    const int vocab = llama_vocab_n_tokens(llama_model_get_vocab(model));
    for (int i = 0; i < count; i++) {
        if (llama_decode(context, llama_batch_get_one(next.data(), next.size())) != 0) {
            return 1;
        }
        const float * logits = llama_get_logits_ith(context, -1);
        const llama_token token = std::max_element(logits, logits + vocab) - logits;
        printf("%d\n", token);
        fflush(stdout);
        next.assign(1, token);
    }
    llama_free(context);
    llama_model_free(model);
    return 0;
}
