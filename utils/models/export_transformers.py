# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks of transformers with random weights and small configurations, for exports.py."""

from typing import Any

from export_networks import Input, Network

# What configurations call their sizes, and what is small. Only what a configuration has
# is changed.
_SMALL: dict[str, Any] = {
    "vocab_size": 120, "hidden_size": 32, "d_model": 32, "n_embd": 32, "dim": 32, "emb_dim": 32,
    "embedding_size": 32, "num_hidden_layers": 2, "n_layer": 2, "n_layers": 2, "num_layers": 2,
    "encoder_layers": 2, "decoder_layers": 2, "num_decoder_layers": 2, "num_encoder_layers": 2,
    "num_attention_heads": 4, "n_head": 4, "n_heads": 4, "num_heads": 4,
    "encoder_attention_heads": 4, "decoder_attention_heads": 4, "num_encoder_attention_heads": 4,
    "num_decoder_attention_heads": 4, "attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 64, "ffn_dim": 64, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64,
    "d_ff": 64, "d_inner": 64, "n_inner": 64, "hidden_dim": 64, "ffn_hidden_size": 64,
    "d_kv": 8, "d_head": 8, "head_dim": 8, "max_position_embeddings": 64, "n_positions": 64,
    "n_ctx": 64, "max_seq_len": 64, "max_source_positions": 64, "max_target_positions": 64,
    "num_local_experts": 2, "num_experts": 2, "rotary_dim": 4, "image_size": 32, "patch_size": 8,
    "ffn_hidden_dim": 64, "word_embed_proj_dim": 32, "sliding_window": 16, "pad_token_id": 0,
    "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1,
}


def _network(kind, auto="AutoModel", **options):
    """A network of the class that `auto` finds for configurations of `kind`."""
    def make():
        import transformers
        config = transformers.AutoConfig.for_model(kind)
        names = set(config.to_dict()) | set(config.attribute_map)
        # A name that stands for another, and its own one, are one.
        for name, value in {**_SMALL, **options}.items():
            if name in options or name in names and getattr(config, name, None) is not None:
                setattr(config, name, value)
        config.use_cache = False
        config._attn_implementation = "eager"
        return getattr(transformers, auto).from_config(config)
    return make


def _first(outputs):
    """The tensors of what a network returns, as long as there are any."""
    return tuple(value for value in outputs.to_tuple() if hasattr(value, "shape"))[:1]


_TOKENS = [Input("input_ids", [("batch", 2, 3), ("length", 9, 14)], below=100),
           Input("attention_mask", [("batch", 2, 3), ("length", 9, 14)], is_mask=True)]
_BOTH = [*_TOKENS, Input("decoder_input_ids", [("batch", 2, 3), ("decoded", 5, 7)], below=100)]


def _text(kind, **options):
    return Network(_network(kind, **options), _TOKENS, _first, by_name=True)


def _decoder(kind, **options):
    return Network(_network(kind, "AutoModelForCausalLM", **options), _TOKENS, _first, by_name=True)


def _pair(kind, **options):
    return Network(_network(kind, "AutoModelForSeq2SeqLM", **options), _BOTH, _first, by_name=True)


def _vision(kind, size=32, **options):
    return Network(_network(kind, **options), [
        Input("pixel_values", [("batch", 2, 3), 3, size, size])], _first, by_name=True)


def _speech(kind, **options):
    return Network(_network(kind, conv_dim=(16, 16, 16), conv_stride=(5, 2, 2), conv_kernel=(10, 3, 3),
                            num_feat_extract_layers=3, num_conv_pos_embeddings=16,
                            num_conv_pos_embedding_groups=4, **options),
                   [Input("input_values", [("batch", 1, 2), ("samples", 800, 1200)])], _first,
                   by_name=True)


class _Cache:
    """A step of a decoder: a token, and keys and values of `past` tokens, which grow."""

    def __init__(self, kind, **options):
        self.make = _network(kind, "AutoModelForCausalLM", **options)

    def __call__(self):
        import torch
        import transformers
        network = self.make()

        class Step(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.network = network

            def forward(self, tokens, mask, *past):
                cache = transformers.DynamicCache(config=network.config)
                for layer in range(len(past) // 2):
                    cache.update(past[2 * layer], past[2 * layer + 1], layer)
                found = self.network(input_ids=tokens, attention_mask=mask, past_key_values=cache,
                                     use_cache=True)
                cache = found.past_key_values
                return (found.logits, *[tensor for layer in cache.layers
                                        for tensor in (layer.keys, layer.values)])
        return Step()


def _cached(kind, heads, size=8, **options):
    past: Any = [("batch", 1, 2), heads, ("past", 6, 9), size]
    return Network(_Cache(kind, **options), [
        Input("input_ids", [("batch", 1, 2), ("step", 1, 3)], below=100),
        Input("attention_mask", [("batch", 1, 2), ("total", 7, 12)], is_mask=True),
        *[Input(f"past_{layer}_{word}", past) for layer in (0, 1) for word in ("key", "value")]])


_STAGES = {"hidden_sizes": [16, 32, 48, 64], "depths": [1, 1, 1, 1]}

TRANSFORMERS = {
    **{kind: _text(kind) for kind in [
        "albert", "bert", "camembert", "convbert", "data2vec-text", "deberta", "deberta-v2",
        "distilbert", "electra", "ernie", "esm", "flaubert", "fnet", "ibert", "layoutlm", "mobilebert",
        "modernbert", "mpnet", "nystromformer", "rembert", "roberta", "roberta-prelayernorm",
        "roformer", "roc_bert", "squeezebert", "xlm", "xlm-roberta", "xlm-roberta-xl", "xmod",
        "xlnet", "splinter", "megatron-bert", "markuplm", "luke", "lilt"]},
    "funnel": _text("funnel", block_sizes=[1, 1], num_decoder_layers=1),
    "canine": _text("canine", num_hash_buckets=64),
    "t5_encoder": Network(_network("t5", "AutoModelForTextEncoding"), _TOKENS, _first, by_name=True),
    **{kind: _decoder(kind) for kind in [
        "bloom", "biogpt", "codegen", "cohere", "ctrl", "falcon", "gemma", "gemma2", "glm", "gpt2",
        "gpt_bigcode", "gpt_neox", "gptj", "granite", "helium", "llama", "mistral", "mpt", "nemotron",
        "olmo", "olmo2", "openai-gpt", "opt", "persimmon", "phi", "phi3", "qwen2", "qwen3",
        "smollm3", "stablelm", "starcoder2", "xglm", "mamba", "mamba2", "rwkv", "mixtral", "qwen2_moe"]},
    "gpt_neo": _decoder("gpt_neo", attention_types=[[["global", "local"], 1]]),
    **{kind: _pair(kind) for kind in [
        "bart", "blenderbot", "blenderbot-small", "m2m_100", "marian", "mbart", "mt5", "mvp", "nllb-moe",
        "pegasus", "plbart", "prophetnet", "switch_transformers", "t5", "umt5"]},
    **{kind: _vision(kind) for kind in [
        "beit", "data2vec-vision", "deit", "dinov2", "ijepa", "mobilenet_v1", "mobilenet_v2", "vit",
        "vit_msn", "yolos"]},
    "convnext": _vision("convnext", 64, **_STAGES), "convnextv2": _vision("convnextv2", 64, **_STAGES),
    "resnet": _vision("resnet", 64, embedding_size=16, **_STAGES),
    "regnet": _vision("regnet", 64, embedding_size=16, groups_width=16, **_STAGES),
    "segformer": Network(_network("segformer", "AutoModelForSemanticSegmentation", image_size=64,
                                  decoder_hidden_size=32, hidden_sizes=[16, 32, 48, 64],
                                  depths=[1, 1, 1, 1], num_attention_heads=[1, 2, 2, 4]), [
        Input("pixel_values", [("batch", 1, 2), 3, 64, 64])], _first, by_name=True),
    "swin": _vision("swin", embed_dim=16, depths=[1, 2], num_heads=[2, 4], window_size=2, patch_size=2),
    "swinv2": _vision("swinv2", embed_dim=16, depths=[1, 2], num_heads=[2, 4], window_size=2, patch_size=2),
    "pvt": _vision("pvt", 64, image_size=64, depths=[1, 1, 1, 1], hidden_sizes=[16, 32, 48, 64],
                   num_attention_heads=[1, 2, 2, 4]),
    "mobilevit": _vision("mobilevit", 64, image_size=64),
    "detr": Network(_network("detr", "AutoModelForObjectDetection", use_timm_backbone=False,
                             backbone=None, num_queries=10), [
        Input("pixel_values", [("batch", 1, 2), 3, 64, 64])], _first, by_name=True),
    **{kind: _speech(kind) for kind in ["wav2vec2", "hubert", "wavlm", "unispeech", "sew"]},
    "whisper": Network(_network("whisper", "AutoModelForSpeechSeq2Seq", num_mel_bins=20,
                                max_source_positions=20), [
        Input("input_features", [("batch", 1, 2), 20, 40]),
        Input("decoder_input_ids", [("batch", 1, 2), ("decoded", 4, 6)], below=100)], _first,
        by_name=True),
    "clip_text": Network(_network("clip_text_model"), _TOKENS, _first, by_name=True),
    "clip_vision": _vision("clip_vision_model"),
    "gpt2_cache": _cached("gpt2", 4), "llama_cache": _cached("llama", 2),
    "qwen2_cache": _cached("qwen2", 2), "mistral_cache": _cached("mistral", 2, sliding_window=None),
    "gpt_neox_cache": _cached("gpt_neox", 4), "opt_cache": _cached("opt", 4),
    "phi_cache": _cached("phi", 2), "gemma_cache": _cached("gemma", 2),
}
